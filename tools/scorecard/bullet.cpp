// Bullet's side of the scorecard, as tools/scorecard/sinew.c. Set up as its manual says: a discrete dynamics world, sequential impulses with ten iterations, no
// damping, nothing sleeps. Friction and restitution of a contact are products of both.
#include <btBulletDynamicsCommon.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

static double next()
{
    double value;
    if (std::scanf("%lf", &value) != 1)
        std::exit(2);
    return value;
}

static btVector3 next_vector()
{
    const double x = next(), y = next(), z = next();
    return btVector3(btScalar(x), btScalar(y), btScalar(z));
}

static btRigidBody *add_body(btDiscreteDynamicsWorld &world)
{
    const int kind = int(next());
    const btVector3 size = next_vector();
    const btScalar mass = btScalar(next());
    const btVector3 moments = next_vector(), place = next_vector();
    const double qx = next(), qy = next(), qz = next(), qw = next();
    btCollisionShape *shape = kind == 2   ? static_cast<btCollisionShape *>(new btSphereShape(size.x()))
                              : kind == 1 ? static_cast<btCollisionShape *>(new btBoxShape(size))
                                          : static_cast<btCollisionShape *>(new btEmptyShape);
    if (kind == 1)
        shape->setMargin(btScalar(0.001));
    auto *motion = new btDefaultMotionState(btTransform(btQuaternion(btScalar(qx), btScalar(qy), btScalar(qz), btScalar(qw)), place));
    auto *body = new btRigidBody(btRigidBody::btRigidBodyConstructionInfo(mass, motion, shape, moments));
    body->setLinearVelocity(next_vector());
    body->setAngularVelocity(next_vector());
    body->setFriction(btScalar(next()));
    body->setRestitution(btScalar(next()));
    body->setDamping(0, 0);
    body->setActivationState(DISABLE_DEACTIVATION);
    if (kind)
        world.addRigidBody(body);
    else
        world.addRigidBody(body, 0, 0);
    return body;
}

static void add_joint(btDiscreteDynamicsWorld &world, const std::vector<btRigidBody *> &body)
{
    const int hinge = int(next()), a = int(next()), b = int(next());
    const btVector3 anchor = next_vector(), axis = next_vector();
    const btScalar stiffness = btScalar(next()), damping = btScalar(next());
    const auto local = [&](const btRigidBody *of) { return of->getWorldTransform().inverse() * anchor; };
    const auto turned = [&](const btRigidBody *of) { return of->getWorldTransform().getBasis().transpose() * axis; };
    btTypedConstraint *joint;
    if (stiffness > 0) { // hinges have no springs; this one has, about its z axis, which is that of all hinges here
        const auto frame = [&](const btRigidBody *of) { return of->getWorldTransform().inverse() * btTransform(btQuaternion::getIdentity(), anchor); };
        auto *spring = a < 0 ? new btGeneric6DofSpring2Constraint(*body[b], frame(body[b]))
                             : new btGeneric6DofSpring2Constraint(*body[a], *body[b], frame(body[a]), frame(body[b]));
        spring->setLinearLowerLimit(btVector3(0, 0, 0));
        spring->setLinearUpperLimit(btVector3(0, 0, 0));
        spring->setAngularLowerLimit(btVector3(0, 0, 1)); // lower above upper: free
        spring->setAngularUpperLimit(btVector3(0, 0, -1));
        spring->enableSpring(5, true);
        spring->setStiffness(5, stiffness);
        spring->setDamping(5, damping);
        spring->setEquilibriumPoint(5, 0);
        joint = spring;
    } else if (hinge && a < 0)
        joint = new btHingeConstraint(*body[b], local(body[b]), turned(body[b]));
    else if (hinge)
        joint = new btHingeConstraint(*body[a], *body[b], local(body[a]), local(body[b]), turned(body[a]), turned(body[b]));
    else if (a < 0)
        joint = new btPoint2PointConstraint(*body[b], local(body[b]));
    else
        joint = new btPoint2PointConstraint(*body[a], *body[b], local(body[a]), local(body[b]));
    world.addConstraint(joint, true);
}

static void put(const std::vector<btRigidBody *> &bodies)
{
    for (const btRigidBody *body : bodies) {
        const btVector3 x = body->getWorldTransform().getOrigin(), v = body->getLinearVelocity(), w = body->getAngularVelocity();
        const btQuaternion q = body->getWorldTransform().getRotation();
        std::printf("%.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g\n", double(x.x()), double(x.y()), double(x.z()), double(q.x()),
                    double(q.y()), double(q.z()), double(q.w()), double(v.x()), double(v.y()), double(v.z()), double(w.x()), double(w.y()), double(w.z()));
    }
}

// By body, what it is pushed up with by what is below it in the last step of h.
static void add_forces(btCollisionDispatcher &dispatcher, const std::vector<btRigidBody *> &bodies, double h, std::vector<double> &sum)
{
    for (int i = 0; i < dispatcher.getNumManifolds(); ++i) {
        const btPersistentManifold *manifold = dispatcher.getManifoldByIndexInternal(i);
        double impulse = 0;
        for (int k = 0; k < manifold->getNumContacts(); ++k)
            impulse += double(manifold->getContactPoint(k).getAppliedImpulse());
        std::size_t upper = 0; // bodies are listed from below; the ground is none of them
        for (std::size_t b = 0; b < bodies.size(); ++b)
            if (bodies[b] == manifold->getBody0() || bodies[b] == manifold->getBody1())
                upper = b;
        sum[upper] += impulse / h;
    }
}

static void put_forces(std::vector<double> &sum, int steps)
{
    for (double &force : sum) {
        std::printf("%.9g ", force / steps);
        force = 0;
    }
    std::printf("\n");
}

int main()
{
    const double h = next(), frame = next();
    const int frames = int(next()), steps = int(std::lround(frame / h));
    const bool forces = next() != 0;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase pairs;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &pairs, &solver, &configuration);
    world.setGravity(next_vector());
    const bool ground = next() != 0;
    next(), next(); // the ground has what bodies have; in a product that is 1
    if (ground) {
        auto *body = new btRigidBody(btRigidBody::btRigidBodyConstructionInfo(0, new btDefaultMotionState, new btStaticPlaneShape(btVector3(0, 1, 0), 0)));
        body->setFriction(1);
        body->setRestitution(1);
        world.addRigidBody(body);
    }
    std::vector<btRigidBody *> bodies(static_cast<std::size_t>(next()));
    for (auto &body : bodies)
        body = add_body(world);
    for (int joints = int(next()); joints > 0; --joints)
        add_joint(world, bodies);
    put(bodies);
    std::vector<double> sum(bodies.size());
    if (forces)
        put_forces(sum, steps);
    double seconds = 0;
    for (int i = 0; i < frames; ++i) {
        for (int k = 0; k < steps; k += forces ? 1 : steps) {
            const std::clock_t start = std::clock();
            for (int n = 0; n < (forces ? 1 : steps); ++n)
                world.stepSimulation(btScalar(h), 0);
            seconds += double(std::clock() - start) / CLOCKS_PER_SEC;
            if (forces)
                add_forces(dispatcher, bodies, h, sum);
        }
        put(bodies);
        if (forces)
            put_forces(sum, steps);
    }
    std::printf("%.9g\n", seconds);
}
