// What the pointer does to the scene: it grabs and pins, with one finger or two, and serves the tool that is chosen. What it does to the camera is
// OrbitControls' work.
import { Vector3 } from "three";

const FINGERS = 2;

export class Hands {
  constructor(app, stage) {
    this.app = app;
    this.stage = stage;
    this.tool = null;           // that has the pointer instead of the hand; see tools.js
    this.fingers = new Map();   // what each pointer holds
    const { canvas } = stage;
    canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    canvas.addEventListener("touchmove", (event) => event.preventDefault(), { passive: false });   // else a fast drag starts a fling, and the browser swallows the next tap
    canvas.addEventListener("pointermove", (event) => this.move(event), { capture: true });
    for (const type of ["pointerup", "pointercancel", "lostpointercapture"]) canvas.addEventListener(type, (event) => this.up(event));
  }

  // The last thing that was taken hold of and is still held.
  get held() {
    return [...this.fingers.values()].pop() || null;
  }

  // What is under the pointer: a point of something that can be held, or nothing. obstacles: also of what stands.
  find(event, obstacles = false) {
    const { index, pane, pointer, width, height } = this.stage.locate(event);
    if (!pane?.picture) return null;
    const hit = pane.view.hits(pointer, this.stage.camera, obstacles);
    const near = pane.view.nearest(pointer, this.stage.camera, width, height, event.pointerType === "touch" ? 26 : 14);
    if (!hit && near < 0) return null;
    const point = hit ? hit.point : new Vector3().fromArray(pane.picture.positions, 3 * near);
    return { index, pane, pointer, near, point, hit };
  }

  // The engine's word on it: what can be held there, or null.
  async pick({ pane, pointer, near, point }) {
    const { stage } = this, { origin, direction } = stage.ray(pointer);
    const reach = stage.pixel(origin.distanceTo(point)) * 10;
    const hit = await pane.engine.call("pick", { origin: origin.toArray(), direction: direction.toArray(), reach });
    if (hit || near < 0) return hit;
    return { particle: near, body: -1, point: point.toArray(), distance: origin.distanceTo(point) };
  }

  down(event) {
    this.app.invited?.();   // it was touched: the hint goes
    if (this.tool && !event.shiftKey) return this.toolDown(event);
    if (event.button) return;
    const found = this.find(event);
    if (!found) return this.release();   // a second finger, beside things: both belong to the camera
    if (event.shiftKey) {
      event.stopImmediatePropagation();
      this.togglePin(found);
      return;
    }
    const finger = [0, 1].find((n) => ![...this.fingers.values()].some((held) => held.finger === n));
    if (this.fingers.size >= FINGERS) return;
    this.capture(event);
    this.stage.canvas.classList.add("dragging");
    const held = { ...found, pointerId: event.pointerId, finger, moved: false };
    this.fingers.set(event.pointerId, held);
    this.grab(held);
  }

  capture(event) {
    this.stage.controls.enabled = false;
    this.stage.canvas.setPointerCapture(event.pointerId);
  }

  async grab(held) {
    const { app } = this, { pane } = held, holds = () => this.fingers.get(held.pointerId) === held;
    try {
      await app.branch();
      const hit = await this.pick(held);
      if (!hit || !holds()) return;
      held.hit = hit;
      held.point = new Vector3(...hit.point);
      if (await app.poses?.(held, holds)) return;
      await pane.command("grab", [hit, held.finger]);
      held.grabbed = true;
      if (!holds()) { await pane.command("drop", [held.finger]); return; }
      held.target = held.target || held.point.toArray();
      app.touched(pane);
      app.play(true);
    } catch (error) {
      app.say(error.message);
      if (holds()) this.release(held);
    }
  }

  move(event) {
    if (this.using?.pointerId === event.pointerId) {
      event.stopImmediatePropagation();
      this.tool?.move?.(event);
      return;
    }
    const held = this.fingers.get(event.pointerId);
    if (!held) return;
    event.stopImmediatePropagation();
    const { pointer } = this.stage.locate(event, held.index);
    held.target = this.stage.inPlane(pointer, held.point, held.pane.model.dimensions === 2).toArray();
    held.moved = true;
  }

  // Once for each picture: the last place is what counts.
  tick() {
    this.tool?.tick?.();
    for (const held of this.fingers.values()) {
      if (!held.grabbed || !held.target) continue;
      if (held.moved) {
        held.moved = false;
        held.pane.command("pull", [...held.target, held.finger]).catch((error) => this.app.say(error.message));
      }
      const { positions } = held.pane.picture, p = held.hit.particle;
      const from = held.hit.body < 0 && p >= 0 ? [0, 1, 2].map((k) => positions[3 * p + k]) : held.target;
      held.pane.view.showHand(from, held.target);
      this.stage.dirty = true;
    }
  }

  up(event) {
    if (this.using?.pointerId === event.pointerId) return this.toolUp(event);
    const held = this.fingers.get(event.pointerId);
    if (held) this.release(held);
  }

  // Lets go of one thing, or of all.
  release(one = null) {
    for (const held of one ? [one] : [...this.fingers.values()]) {
      this.fingers.delete(held.pointerId);
      held.pane.view.showHand(null, null);
      if (held.grabbed) held.pane.command("drop", [held.finger]).catch((error) => this.app.say(error.message));
      held.ended?.();
    }
    this.stage.dirty = true;
    if (this.fingers.size) return;
    this.stage.controls.enabled = true;
    this.stage.canvas.classList.remove("dragging");
  }

  async togglePin(found) {
    const { app } = this;
    try {
      await app.branch();
      const particle = found.near >= 0 ? found.near : (await this.pick(found))?.particle;
      if (particle !== undefined) await app.pin(found.pane, particle);
    } catch (error) {
      app.say(error.message);
    }
  }

  // ---- Tools ------------------------------------------------------------------------------------------------------------

  setTool(tool) {
    this.release();
    if (this.using) this.toolUp(null);
    this.tool?.end?.();
    this.tool = tool;
    this.stage.canvas.style.cursor = tool ? tool.cursor || "crosshair" : "";
    tool?.begin?.();
  }

  // A tool that takes the pointer has it until it is let go; a second finger takes it away and gives it to the camera.
  toolDown(event) {
    if (this.using) return this.toolUp(null);
    if (event.button || !this.tool.down(event)) return;
    this.using = { pointerId: event.pointerId };
    this.capture(event);
  }

  // event null: it is broken off.
  toolUp(event) {
    const done = event && event.type === "pointerup";
    this.using = null;
    this.stage.controls.enabled = true;
    if (done) this.tool?.up?.(event);
    else this.tool?.cancel?.();
  }
}
