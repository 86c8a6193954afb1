// Building: things that are added, and what connects two of them. Each is a piece of a scene document.
import { Vector3 } from "three";
import { Tool, numbers } from "./tool.js";

const SHORT = 6;   // px: a pointer that moved less was a click
const round = (v) => +v.toFixed(4);

// ---- Add ------------------------------------------------------------------------------------------------------------------

// Each makes parts of a document from what was drawn: { a, b }, the ends of the line; { middle, width, height }, the box that it spans, as the camera sees it, and how that is turned;
// size, of the scene. A click draws something of a usual size.
const makers = {
  rope: ({ a, b, length, name, size }) => ({ objects: [{ type: "rope", name, from: a, to: b, segments: clamp(Math.round(length / (0.015 * size)), 8, 40), radius: round(0.006 * size), mass: round(0.3 * length), pins: ["start"] }] }),
  cloth: ({ middle, width, height, turn, name, size }) => ({ objects: [{ type: "cloth", name, position: middle, turn, width, height, ...grid(width, height, 24), radius: round(0.003 * size), skin: true, material: { density: 0.2, stretch: 1e-4, bend: 1e4 }, pins: ["top_left", "top_right"] }] }),
  ball: ({ centre, radius, name }) => ({ bodies: [{ name, position: lifted(centre, radius), density: 500, shapes: { type: "sphere", radius } }] }),
  box: ({ middle, width, height, turn, name }) => ({ bodies: [{ name, position: lifted(middle, height / 2), turn, density: 500, shapes: { type: "box", size: [width, height, Math.min(width, height)] } }] }),
  jelly: ({ middle, width, height, turn, name }) => ({ objects: [{ type: "jelly", name, position: lifted(middle, height / 2), turn, width, height, depth: Math.min(width, height), columns: 5, rows: 5, layers: 5, radius: round(0.08 * Math.min(width, height)), mass: round(200 * width * height * Math.min(width, height)) }] }),
  ragdoll: ({ middle, height, turn, name, floor }) => ({ objects: [{ type: "ragdoll", name, position: [middle[0], Math.max(floor, round(middle[1] - height / 2)), middle[2]], turn, height, pose: "arms_out" }] }),
  balloon: ({ centre, radius, name, size }) => ({ objects: [{ type: "balloon", name, position: lifted(centre, radius), diameter: 2 * radius, subdivisions: 2, pressure: 1.05, radius: round(0.004 * size), skin: true, mass: round(20 * radius ** 3), material: { stretch: 1e-3 } }] }),
  pole: ({ a, b, name, size }) => ({ bodies: [{ name, type: "static", shapes: { type: "capsule", radius: round(0.012 * size), from: a, to: b } }] }),
};

const clamp = (v, low, high) => Math.min(high, Math.max(low, v));
const grid = (width, height, most) => { const cell = Math.max(width, height) / most; return { columns: clamp(Math.round(width / cell) + 1, 4, most + 1), rows: clamp(Math.round(height / cell) + 1, 4, most + 1) }; };
let floorNow = -Infinity;   // of the scene that is added to
const lifted = ([x, y, z], half) => [x, Math.max(y, round(floorNow + half)), z];

export class Add extends Tool {
  choices = [["rope", "Rope"], ["cloth", "Cloth"], ["ball", "Ball"], ["box", "Box"], ["jelly", "Jelly"], ["ragdoll", "Ragdoll"], ["balloon", "Balloon"], ["pole", "Pole"]];
  choice = "ball";

  down(event) {
    this.from = this.place(event);
    return true;
  }

  move(event) {
    const line = ["rope", "pole"].includes(this.choice), round = ["ball", "balloon"].includes(this.choice);
    if (line) this.overlay.line(this.from, event);
    else if (round) this.overlay.ring({ clientX: this.from.x, clientY: this.from.y }, this.far(event, this.from), "blast");
    else this.overlay.box(this.from, event);
  }

  // What was drawn, as the makers want it.
  drawn(event, from) {
    const { view, model } = from.pane, { size } = view, usual = 0.22 * size, clicked = this.far(event, from) < SHORT, flat = model.dimensions === 2;
    const side = flat ? new Vector3(1, 0, 0) : new Vector3(1, 0, 0).applyQuaternion(this.stage.camera.quaternion).setY(0).normalize(), up = new Vector3(0, 1, 0);
    const a = from.point.clone(), b = clicked ? a.clone().addScaledVector(up, this.choice === "pole" ? 2 * usual : -1.6 * usual) : this.along(event, from), way = b.clone().sub(a);
    const width = clicked ? usual : Math.max(0.02 * size, Math.abs(way.dot(side))), tall = this.choice === "ragdoll" ? 2.2 * usual : usual;
    const height = clicked ? tall : Math.max(0.02 * size, Math.abs(way.y)), middle = clicked ? a : a.clone().addScaledVector(way, 0.5);
    if (!flat && this.choice === "pole" && clicked) a.y = view.groundHeight();
    floorNow = flat ? -Infinity : view.groundHeight();
    return {
      a: numbers(a), b: numbers(b), length: a.distanceTo(b), centre: numbers(from.point), radius: round(clicked ? 0.5 * usual : Math.max(0.01 * size, way.length())), middle: numbers(middle),
      width: round(width), height: round(height), size, floor: round(view.groundHeight()), turn: flat ? undefined : { angle: round(Math.atan2(-side.z, side.x)) },
    };
  }

  async up(event) {
    const { from } = this, { pane } = from, name = this.tools.name(pane, this.choice), drawn = this.drawn(event, from);
    this.cancel();
    const parts = makers[this.choice]({ ...drawn, name });
    parts.bodies = [...this.tools.ground(pane), ...(parts.bodies || [])];
    await this.app.branch();
    if (await this.app.edit(pane, "add", [JSON.parse(JSON.stringify(parts))])) this.app.say(`${name} is there${this.app.playing ? "" : "; Space plays"}`);
  }
}

// ---- Connect --------------------------------------------------------------------------------------------------------------

const SAG = 0.12;        // of the length of a spring: how far it gives under the lighter of the two
const MOTOR_SPEED = 5;   // rad/s

const ties = {
  rod: ({ points, name }) => ({ constraints: [{ kind: "distance", name, points }] }),
  spring: ({ points, name, length, mass }) => {
    const compliance = (SAG * length) / (9.81 * mass);
    return { constraints: [{ kind: "distance", name, points, compliance: +compliance.toPrecision(4), damping: +(0.1 * Math.sqrt(mass / compliance)).toPrecision(4) }] };
  },
  rope: ({ points, name, from, to, length, size }) => ({
    objects: [{ type: "rope", name, from, to, segments: clamp(Math.round(length / (0.02 * size)), 6, 40), radius: round(0.005 * size), mass: round(0.2 * length) }],
    constraints: points.map((point, i) => ({ kind: "attachment", name: `${name}_${i ? "end" : "start"}`, points: [`${name}.${i ? "end" : "start"}`, point] })),
  }),
  hinge: (tie) => ({ constraints: [axle(tie)] }),
  motor: (tie) => ({ constraints: [{ ...axle(tie), speed: MOTOR_SPEED, speed_most: +(8 * 9.81 * tie.mass * 0.1 * tie.size).toPrecision(4) }] }),
};

const axle = ({ bodies, name, from, axis }) => ({ kind: "joint_hinge", name, bodies, anchor: from, axis });

export class Connect extends Tool {
  choices = [["rod", "Rod"], ["spring", "Spring"], ["rope", "Rope"], ["hinge", "Hinge"], ["motor", "Motor"]];
  choice = "rod";

  down(event) {
    this.from = this.place(event);
    return true;
  }

  move(event) {
    this.overlay.line(this.from, event);
  }

  // One end: what is there, as a point of a constraint, as a body of a joint, and its mass; or a place in the world.
  async endOf(found) {
    const what = found.thing ? await this.identify(found) : null, { engine } = found.pane;
    if (!what) return { point: { place: numbers(found.point) }, body: "world", mass: Infinity, at: numbers(found.point) };
    const hit = what.pick || { body: what.body, particle: -1, point: found.point.toArray() };
    const point = await engine.call("point", { hit });
    return { what, point, body: point.body ?? null, mass: what.mass || Infinity, at: hit.point.map(round) };
  }

  async up(event) {
    const { from } = this, { pane } = from, clicked = this.far(event, from) < SHORT, turning = ["hinge", "motor"].includes(this.choice);
    const to = clicked ? null : this.place(event);
    if (to && !to.thing) to.point = this.along(event, from);
    this.cancel();
    if (clicked && !turning) return this.app.say("Drag from one thing to another, or to a place");
    try {
      await this.app.branch();
      const a = await this.endOf(from), b = to ? await this.endOf(to) : { point: null, body: "world", mass: Infinity };
      if (!a.what && !b.what) return this.app.say("There is nothing to connect");
      if (turning && (a.body === null || b.body === null)) return this.app.say("Hinges and motors join bodies: balls, boxes, poles, limbs");
      if (turning && a.body === b.body) return this.app.say("These are one body");
      const name = this.tools.name(pane, this.choice), axis = numbers(this.stage.camera.getWorldDirection(new Vector3()));
      const tie = { name, points: [a.point, b.point], from: a.at, to: b.at, length: b.at ? Math.hypot(...a.at.map((v, k) => v - b.at[k])) : 0, mass: Math.min(a.mass, b.mass), size: pane.view.size };
      const parts = ties[this.choice]({ ...tie, bodies: [a.body, b.body], axis: pane.model.dimensions === 2 ? [0, 0, 1] : axis });
      if (await this.app.edit(pane, "add", [parts])) this.app.say(`${name} connects ${a.what?.name || "a place"} and ${b.what?.name || "a place"}`);
    } catch (error) {
      this.app.say(error.message);
    }
  }
}
