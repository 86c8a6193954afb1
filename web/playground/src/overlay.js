// What tools draw over the picture while they work: lines, arrows, rings, in pixels of the canvas.
const NS = "http://www.w3.org/2000/svg";

export class Overlay {
  constructor(stage) {
    this.stage = stage;
    this.svg = document.getElementById("overlay");
    this.past = [];
  }

  at({ clientX, clientY, x = clientX, y = clientY }) {
    const box = this.stage.canvas.getBoundingClientRect();
    return [x - box.left, y - box.top];
  }

  // The element of this name, made if there is none, with these attributes.
  part(name, tag, attributes) {
    let element = this.svg.querySelector(`.${name}`);
    if (!element) {
      element = document.createElementNS(NS, tag);
      element.classList.add(name);
      this.svg.append(element);
    }
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  }

  line(from, to, name = "line") {
    const [x1, y1] = this.at(from), [x2, y2] = this.at(to);
    this.part(name, "line", { x1, y1, x2, y2 });
  }

  arrow(from, to) {
    const [x1, y1] = this.at(from), [x2, y2] = this.at(to), length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const ux = (x2 - x1) / length, uy = (y2 - y1) / length, head = Math.min(12, length);
    this.part("arrow", "path", { d: `M${x1} ${y1}L${x2} ${y2}M${x2 - head * (ux - 0.5 * uy)} ${y2 - head * (uy + 0.5 * ux)}L${x2} ${y2}L${x2 - head * (ux + 0.5 * uy)} ${y2 - head * (uy - 0.5 * ux)}` });
  }

  box(from, to) {
    const [x1, y1] = this.at(from), [x2, y2] = this.at(to);
    this.part("blast", "rect", { x: Math.min(x1, x2), y: Math.min(y1, y2), width: Math.abs(x2 - x1), height: Math.abs(y2 - y1), rx: 4 });
  }

  ring(at, radius, name) {
    const [cx, cy] = this.at(at);
    this.part(name, "circle", { cx, cy, r: Math.max(1, radius) });
  }

  // The way that the pointer has come.
  trail(event) {
    this.past.push(this.at(event));
    if (this.past.length > 24) this.past.shift();
    this.part("trail", "polyline", { points: this.past.map((p) => p.join()).join(" ") });
  }

  text(at, words) {
    const [x, y] = this.at(at);
    this.part("words", "text", { x: x + 14, y: y - 12 }).textContent = words;
  }

  // A ring that grows and fades.
  flash(at, radius) {
    const [cx, cy] = this.at(at), ring = document.createElementNS(NS, "circle");
    for (const [key, value] of Object.entries({ class: "flash", cx, cy, r: Math.max(1, radius) })) ring.setAttribute(key, value);
    this.svg.append(ring);
    setTimeout(() => ring.remove(), 450);
  }

  clear() {
    this.past = [];
    for (const element of [...this.svg.children]) if (!element.classList.contains("flash")) element.remove();
  }
}
