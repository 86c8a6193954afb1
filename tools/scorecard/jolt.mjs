// Jolt, as its documentation says: one collision step an update, its own numbers of iterations; gyroscopic forces, which are off by default, are on; no damping, nothing
// sleeps. Friction of a contact is the geometric mean, restitution the larger. Springs of hinges are motors towards an angle with a soft spring. It does not tell what contacts exert.
import {readFileSync} from 'node:fs';
import initJolt from 'jolt-physics';
import {frame} from './cases.mjs';
import {timed} from './timed.mjs';

const Jolt = await initJolt();
export const version = JSON.parse(readFileSync(new URL('./node_modules/jolt-physics/package.json', import.meta.url))).version;
const MOVING = 1, FIXED = 0;

function makeWorld() {
    const settings = new Jolt.JoltSettings();
    const pairs = new Jolt.ObjectLayerPairFilterTable(2);
    pairs.EnableCollision(FIXED, MOVING);
    pairs.EnableCollision(MOVING, MOVING);
    const layers = new Jolt.BroadPhaseLayerInterfaceTable(2, 2);
    layers.MapObjectToBroadPhaseLayer(FIXED, new Jolt.BroadPhaseLayer(0));
    layers.MapObjectToBroadPhaseLayer(MOVING, new Jolt.BroadPhaseLayer(1));
    settings.mObjectLayerPairFilter = pairs;
    settings.mBroadPhaseLayerInterface = layers;
    settings.mObjectVsBroadPhaseLayerFilter = new Jolt.ObjectVsBroadPhaseLayerFilterTable(layers, 2, pairs, 2);
    settings.mMaxWorkerThreads = 0;
    const jolt = new Jolt.JoltInterface(settings);
    Jolt.destroy(settings);
    return jolt;
}

export function run(scene, h, frames) {
    const jolt = makeWorld(), system = jolt.GetPhysicsSystem(), interfaceOf = system.GetBodyInterface();
    system.SetGravity(new Jolt.Vec3(...scene.gravity));
    const add = (shape, b, type, layer) => {
        const settings = new Jolt.BodyCreationSettings(shape, new Jolt.RVec3(...b.position), new Jolt.Quat(...b.rotation), type, layer);
        settings.mFriction = b.friction;
        settings.mRestitution = b.restitution;
        settings.mLinearDamping = settings.mAngularDamping = 0;
        settings.mMaxAngularVelocity = 1000;
        settings.mApplyGyroscopicForce = true;
        settings.mAllowSleeping = false;
        if (b.mass) {
            settings.mOverrideMassProperties = Jolt.EOverrideMassProperties_MassAndInertiaProvided;
            const inertia = Jolt.Mat44.prototype.sScaleVec3(new Jolt.Vec3(...b.moments));
            settings.mMassPropertiesOverride.mMass = b.mass;
            settings.mMassPropertiesOverride.mInertia = inertia;
            settings.mLinearVelocity = new Jolt.Vec3(...b.velocity);
            settings.mAngularVelocity = new Jolt.Vec3(...b.spin);
        }
        if (!b.shape) { // joints only: it collides with nothing
            const groups = new Jolt.GroupFilterTable(1);
            settings.mCollisionGroup.SetGroupFilter(groups);
            settings.mCollisionGroup.SetGroupID(1);
            settings.mCollisionGroup.SetSubGroupID(0);
        }
        const body = interfaceOf.CreateBody(settings);
        interfaceOf.AddBody(body.GetID(), Jolt.EActivation_Activate);
        return body;
    };
    const boxShape = (half) => new Jolt.BoxShape(new Jolt.Vec3(...half), Math.min(0.01, ...half) / 2);
    if (scene.ground)
        add(boxShape([100, 1, 100]), {position: [0, -1, 0], rotation: [0, 0, 0, 1], shape: 'box', ...scene.ground}, Jolt.EMotionType_Static, FIXED);
    const bodies = scene.bodies.map((b) => add(b.radius ? new Jolt.SphereShape(b.radius) : boxShape(b.half), b, Jolt.EMotionType_Dynamic, MOVING));
    // not sFixedToWorld: with that, hinges of this package take their angle for half a turn, always
    const fixed = scene.joints.length && add(boxShape([0.1, 0.1, 0.1]), {...scene.bodies[0], mass: 0, shape: undefined, position: [0, 0, 0], rotation: [0, 0, 0, 1]}, Jolt.EMotionType_Static, FIXED);
    for (const j of scene.joints) {
        const settings = j.type === 'hinge' ? new Jolt.HingeConstraintSettings() : new Jolt.PointConstraintSettings();
        settings.mSpace = Jolt.EConstraintSpace_WorldSpace;
        settings.mPoint1 = settings.mPoint2 = new Jolt.RVec3(...j.anchor);
        if (j.type === 'hinge') {
            settings.mHingeAxis1 = settings.mHingeAxis2 = new Jolt.Vec3(...j.axis);
            settings.mNormalAxis1 = settings.mNormalAxis2 = new Jolt.Vec3(1, 0, 0);
        }
        if (j.stiffness) {
            const spring = settings.mMotorSettings.mSpringSettings;
            spring.mMode = Jolt.ESpringMode_StiffnessAndDamping;
            spring.mStiffness = j.stiffness;
            spring.mDamping = j.damping;
        }
        const made = settings.Create(j.a < 0 ? fixed : bodies[j.a], bodies[j.b]);
        system.AddConstraint(made);
        if (j.stiffness) { // a motor towards the angle that it has
            const motor = Jolt.castObject(made, Jolt.HingeConstraint);
            motor.SetMotorState(Jolt.EMotorState_Position);
            motor.SetTargetAngle(0);
        }
    }
    const list = (v) => [v.GetX(), v.GetY(), v.GetZ()];
    const poses = () => bodies.map((b) => {
        const q = b.GetRotation();
        return {x: list(b.GetPosition()), q: [q.GetX(), q.GetY(), q.GetZ(), q.GetW()], v: list(b.GetLinearVelocity()), w: list(b.GetAngularVelocity())};
    });
    const result = timed(frames, Math.round(frame / h), () => jolt.Step(h, 1), poses);
    Jolt.destroy(jolt);
    return result;
}
