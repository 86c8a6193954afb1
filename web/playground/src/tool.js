// What all tools share: where the pointer is, and what is there.
import { Vector3 } from "three";

export const numbers = (v) => [v.x, v.y, v.z].map((value) => +value.toPrecision(7));

export class Tool {
  constructor(tools) {
    this.tools = tools;
    this.app = tools.app;
    this.stage = tools.app.stage;
    this.overlay = tools.overlay;
  }

  // Where the pointer is: on a thing, or else in the plane that faces the camera through what it looks at.
  place(event, obstacles = true) {
    const { hands } = this.app, found = hands.find(event, obstacles);
    if (found) return { ...found, thing: true, x: event.clientX, y: event.clientY };
    const { index, pane, pointer } = this.stage.locate(event), flat = pane.model.dimensions === 2;
    const middle = flat ? new Vector3(0, 0, 0) : this.stage.controls.target.clone();
    const point = this.stage.inPlane(pointer, middle, flat), floor = pane.view.groundHeight();
    if (point.y < floor && !flat) this.onGround(pointer, floor, point);
    return { index, pane, pointer, near: -1, point, thing: false, x: event.clientX, y: event.clientY };
  }

  // Below the horizon of the ground a place is on it.
  onGround(pointer, height, point) {
    const { origin, direction } = this.stage.ray(pointer), t = (height - origin.y) / direction.y;
    if (t > 0 && Number.isFinite(t)) point.copy(origin).addScaledVector(direction, t);
  }

  // Where the pointer is in the plane through a place.
  along(event, from) {
    const { pointer } = this.stage.locate(event, from.index);
    return this.stage.inPlane(pointer, from.point, from.pane.model.dimensions === 2);
  }

  far(event, from) {
    return Math.hypot(event.clientX - from.x, event.clientY - from.y);
  }

  // What the thing there is: { name, kind, ... } with the pick that found it, or null.
  async identify(found) {
    const { hands } = this.app;
    const standing = found.hit && found.pane.view.drawables.find((d) => d.object === found.hit.object && d.number !== undefined);
    if (standing) return { pick: null, ...await found.pane.engine.call("identify", { particle: -1, body: standing.number }) };
    const pick = await hands.pick(found), what = pick && await found.pane.engine.call("identify", pick);
    return what ? { pick, ...what } : null;
  }

  cancel() {
    this.from = null;
    this.overlay.clear();
  }

  end() {
    this.cancel();
  }
}
