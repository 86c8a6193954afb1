// What the pointer does to the scene: dragging, pinning. What it does to the camera is OrbitControls' work.
import { Vector3 } from "three";

export class Hands {
  constructor(app, stage) {
    this.app = app;
    this.stage = stage;
    this.pinning = false;
    this.held = null;
    const { canvas } = stage;
    canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event), { capture: true });
    for (const type of ["pointerup", "pointercancel", "lostpointercapture"]) canvas.addEventListener(type, (event) => this.up(event));
  }

  // What is under the pointer: a point of something that can be held, or nothing.
  find(event) {
    const { index, pane, pointer, width, height } = this.stage.locate(event);
    if (!pane?.picture) return null;
    const hit = pane.view.hits(pointer, this.stage.camera);
    const near = pane.view.nearest(pointer, this.stage.camera, width, height, event.pointerType === "touch" ? 26 : 14);
    if (!hit && near < 0) return null;
    const point = hit ? hit.point : new Vector3().fromArray(pane.picture.positions, 3 * near);
    return { index, pane, pointer, near, point };
  }

  down(event) {
    if (this.held) return this.release();   // a second finger
    if (event.button) return;
    const found = this.find(event);
    if (!found) return;
    if (this.pinning || event.shiftKey) {
      event.stopImmediatePropagation();
      this.togglePin(found);
      return;
    }
    this.stage.controls.enabled = false;
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.stage.canvas.classList.add("dragging");
    this.held = { ...found, pointerId: event.pointerId, moved: false };
    this.grab(this.held);
  }

  async grab(held) {
    const { app, stage } = this, { pane, pointer, near, point } = held;
    const { origin, direction } = stage.ray(pointer);
    try {
      await app.branch();
      const reach = stage.pixel(origin.distanceTo(point)) * 10;
      let hit = await pane.engine.call("pick", { origin: origin.toArray(), direction: direction.toArray(), reach });
      if (!hit && near >= 0) hit = { particle: near, body: -1, point: point.toArray(), distance: origin.distanceTo(point) };
      if (!hit || this.held !== held) return;
      held.hit = hit;
      held.point = new Vector3(...hit.point);
      await pane.command("grab", [hit]);
      held.grabbed = true;
      if (this.held !== held) { await pane.command("drop", []); return; }
      held.target = held.target || held.point.toArray();
      app.touched();
      app.play(true);
    } catch (error) {
      app.say(error.message);
      if (this.held === held) this.release();
    }
  }

  move(event) {
    const { held } = this;
    if (!held || event.pointerId !== held.pointerId) return;
    event.stopImmediatePropagation();
    const { pointer } = this.stage.locate(event, held.index);
    held.target = this.stage.inPlane(pointer, held.point, held.pane.model.dimensions === 2).toArray();
    held.moved = true;
  }

  // Once for each picture: the last place is what counts.
  tick() {
    const { held } = this;
    if (!held?.grabbed || !held.target) return;
    if (held.moved) {
      held.moved = false;
      held.pane.command("pull", held.target).catch((error) => this.app.say(error.message));
    }
    const { positions } = held.pane.picture, p = held.hit.particle;
    const from = held.hit.body < 0 && p >= 0 ? [0, 1, 2].map((k) => positions[3 * p + k]) : held.target;
    held.pane.view.showHand(from, held.target);
    this.stage.dirty = true;
  }

  up(event) {
    if (this.held && event.pointerId === this.held.pointerId) this.release();
  }

  release() {
    const { held } = this;
    this.held = null;
    this.stage.controls.enabled = true;
    this.stage.canvas.classList.remove("dragging");
    held.pane.view.showHand(null, null);
    this.stage.dirty = true;
    if (held.grabbed) held.pane.command("drop", []).catch((error) => this.app.say(error.message));
  }

  async togglePin({ pane, near, pointer, point }) {
    const { app, stage } = this;
    try {
      await app.branch();
      let particle = near;
      if (particle < 0) {
        const { origin, direction } = stage.ray(pointer);
        const hit = await pane.engine.call("pick", { origin: origin.toArray(), direction: direction.toArray(), reach: stage.pixel(origin.distanceTo(point)) * 10 });
        if (!hit) return;
        particle = hit.particle;
      }
      await app.pin(pane, particle);
    } catch (error) {
      app.say(error.message);
    }
  }

  setPinning(on) {
    this.pinning = on;
    this.stage.canvas.classList.toggle("pinning", on);
  }
}
