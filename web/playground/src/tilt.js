// Gravity by tilting a phone: down in the scene is where down is.
const EVERY = 100;         // ms: so often at most
const STEP = 0.05;         // of the strength of gravity: a smaller turn is a hand that shakes

// Where down is in the picture, from the angles of the device, in degrees: x to the right, y up, z towards the eye. A unit vector.
export function down({ beta = 0, gamma = 0 }, turned = 0) {
  const rad = Math.PI / 180, b = beta * rad, g = gamma * rad, a = turned * rad;
  const x = Math.cos(b) * Math.sin(g), y = -Math.sin(b);
  return [x * Math.cos(a) - y * Math.sin(a), x * Math.sin(a) + y * Math.cos(a), -Math.cos(b) * Math.cos(g)];
}

export class Tilt {
  constructor(app, button) {
    this.app = app;
    this.button = button;
    this.listen = (event) => this.turned(event);
    button.hidden = !("DeviceOrientationEvent" in window && matchMedia("(pointer: coarse)").matches);
    button.addEventListener("click", () => this.toggle());
  }

  async toggle(on = !this.on) {
    if (on && typeof DeviceOrientationEvent.requestPermission === "function" && await DeviceOrientationEvent.requestPermission().catch(() => "denied") !== "granted") {
      this.app.say("This browser does not tell how it is held");
      return;
    }
    this.on = on;
    this.last = null;
    this.button.setAttribute("aria-pressed", String(on));
    window[on ? "addEventListener" : "removeEventListener"]("deviceorientation", this.listen);
    if (on) {
      this.strengths = this.app.panes.map((pane) => Math.hypot(...pane.settings.gravity) || 9.81);
      this.app.say("Tilt the phone: down is down");
    } else for (const pane of this.app.panes) await this.app.configure(pane, { gravity: pane.model.settings.gravity });
  }

  async turned(event) {
    const now = performance.now(), { app } = this;
    if (event.beta === null || !app.panes.length || this.busy || (this.last && now - this.last.time < EVERY)) return;
    const way = down(event, screen.orientation?.angle || 0), flat = app.panes[0].model.dimensions === 2;
    if (flat) way[2] = 0;
    if (this.last && Math.hypot(...way.map((v, i) => v - this.last.way[i])) < STEP) return;
    this.last = { time: now, way };
    this.busy = true;
    try {
      for (const [i, pane] of app.panes.entries()) await app.configure(pane, { gravity: way.map((v) => +(v * (this.strengths[i] ?? 9.81)).toFixed(2)) }, true);
    } finally {
      this.busy = false;
    }
  }
}
