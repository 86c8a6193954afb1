// The canvas: one renderer for one or two panes side by side, the camera that they share, and the pointer.
import { MeshBasicMaterial, NeutralToneMapping, PCFShadowMap, PerspectiveCamera, Plane, PMREMGenerator, SRGBColorSpace, Vector2, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { RoomEnvironment } from "three/addons/environments/RoomEnvironment.js";

const FOV = 32;

// How fine the picture is: pixels for each of the screen's (at most), and of the shadow. The first that keeps up is used.
const QUALITY = [{ ratio: 2, shadow: 2048 }, { ratio: 1.25, shadow: 1024 }, { ratio: 1, shadow: 512 }, { ratio: 0.75, shadow: 0 }];
const SLOW = 1000 / 26;    // ms from picture to picture: more is too much
const PATIENCE = 24;       // pictures

export class Stage {
  constructor(canvas) {
    this.canvas = canvas;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;   // the kind that knows a radius
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.toneMappingExposure = 1;
    this.renderer.outputColorSpace = SRGBColorSpace;
    const maker = new PMREMGenerator(this.renderer);
    this.room = maker.fromScene(new RoomEnvironment(), 0.04).texture;   // what shiny things reflect
    maker.dispose();
    this.camera = new PerspectiveCamera(FOV, 1, 0.01, 1000);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.maxPolarAngle = Math.PI * 0.52;
    this.controls.addEventListener("start", () => { this.moved = true; });   // by hand
    this.controls.addEventListener("change", () => { this.dirty = true; });
    this.panes = [];
    this.dirty = true;
    this.setQuality(0);
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
  }

  setQuality(level) {
    this.quality = level;
    this.slow = 0;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, QUALITY[level].ratio));
    for (const pane of this.panes) pane.view.setShadow(QUALITY[level].shadow);
    this.dirty = true;
  }

  // Pictures that come too slowly one after the other, for a while: the next are coarser, unless they are steady.
  adapt(now) {
    const passed = now - (this.drawn || 0);
    this.drawn = now;
    if (passed > 400 || this.steady) return;   // nothing was to be drawn in between; or pictures are to be as fine as they are
    this.slow = passed > SLOW ? this.slow + 1 : Math.max(0, this.slow - 1);
    if (this.slow > PATIENCE && this.quality < QUALITY.length - 1) this.setQuality(this.quality + 1);
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    if (!width || !height) return;
    this.width = width;
    this.height = height;
    this.renderer.setSize(width, height, false);
    this.setAspect();
    this.dirty = true;
  }

  // Two panes lie side by side, or, where that would make them narrow, one above the other.
  setAspect() {
    const count = Math.max(1, this.panes.length);
    this.stacked = count > 1 && this.width < 1.3 * this.height;
    this.canvas.parentElement.classList.toggle("stacked", this.stacked);
    this.paneWidth = this.stacked ? this.width : this.width / count;
    this.paneHeight = this.stacked ? this.height / count : this.height;
    this.camera.aspect = this.paneWidth / this.paneHeight;
    this.camera.updateProjectionMatrix();
    this.dirty = true;
  }

  setPanes(panes) {
    this.panes = panes;
    for (const pane of panes) {
      pane.view.scene.environment = this.room;
      pane.view.setShadow(QUALITY[this.quality].shadow);
    }
    this.setAspect();
  }

  // Looks at all of the bounds, from the front, a little from the right and from above. covered, below: px at the top, under words, and at the bottom, under tools.
  fit({ low, high }, { azimuth = 22, elevation = 14 } = {}, flat = false, covered = 0, below = 0) {
    const middle = new Vector3((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2);
    const a = ((flat ? 0 : azimuth) * Math.PI) / 180, e = ((flat ? 3 : elevation) * Math.PI) / 180;
    const back = new Vector3(Math.sin(a) * Math.cos(e), Math.sin(e), Math.cos(a) * Math.cos(e));
    const right = new Vector3(Math.cos(a), 0, -Math.sin(a)), up = new Vector3().crossVectors(back, right);
    const slope = Math.tan((FOV * Math.PI) / 360), top = Math.min(0.4, covered / this.paneHeight), bottom = Math.min(0.25, below / this.paneHeight), free = 1 - top - bottom;
    const slopeX = (slope * this.camera.aspect) / 1.13, slopeY = (slope * free) / 1.13;
    let far = 0.2;
    for (let i = 0; i < 8; ++i) {
      const corner = new Vector3(i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1], i & 4 ? high[2] : low[2]).sub(middle);
      far = Math.max(far, corner.dot(back) + Math.abs(corner.dot(right)) / slopeX, corner.dot(back) + Math.abs(corner.dot(up)) / slopeY);
    }
    middle.addScaledVector(up, far * slope * (top - bottom));
    this.look([...middle.clone().addScaledVector(back, far).toArray(), ...middle.toArray()]);
    this.camera.near = far / 200;
    this.camera.far = far * 60;
    this.camera.updateProjectionMatrix();
  }

  look(six) {
    this.camera.position.set(six[0], six[1], six[2]);
    this.controls.target.set(six[3], six[4], six[5]);
    this.controls.update();
    this.dirty = true;
  }

  // Moves the camera away from its target, to so many times its distance.
  moveBack(times) {
    this.camera.position.sub(this.controls.target).multiplyScalar(times).add(this.controls.target);
    this.controls.update();
    this.dirty = true;
  }

  get view() {
    return [...this.camera.position.toArray(), ...this.controls.target.toArray()].map((v) => +v.toPrecision(4));
  }

  render() {
    this.controls.update();
    if (!this.dirty || !this.panes.length) return;
    this.dirty = false;
    this.adapt(performance.now());
    const { renderer, paneWidth: width, paneHeight: height } = this;
    renderer.setScissorTest(true);
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.panes.forEach((pane, i) => {
      pane.view.haze(distance);
      const x = this.stacked ? 0 : i * width, y = this.stacked ? (this.panes.length - 1 - i) * height : 0;
      renderer.setViewport(x, y, width, height);
      renderer.setScissor(x, y, width, height);
      renderer.render(pane.view.scene, this.camera);
      if (this.ghosts && this.panes.length > 1) this.renderGhost(this.panes[1 - i].view);
    });
    this.onrender?.();   // while the picture is still there to be read
    this.onshown?.();
  }

  // Another view over the picture: all that moves in it, as of glass.
  renderGhost({ scene, ground }) {
    const { renderer } = this, { background, environment, fog } = scene;
    this.glass ||= new MeshBasicMaterial({ color: 0x7f8fa0, transparent: true, opacity: 0.3, depthWrite: false });
    Object.assign(scene, { background: null, environment: null, fog: null, overrideMaterial: this.glass });
    ground.visible = renderer.autoClear = renderer.shadowMap.autoUpdate = false;
    renderer.render(scene, this.camera);
    ground.visible = renderer.autoClear = renderer.shadowMap.autoUpdate = true;
    Object.assign(scene, { background, environment, fog, overrideMaterial: null });
  }

  // Where a place of the scene is on the canvas, in px, in a pane; null if it is behind the camera.
  toScreen(place, index) {
    const v = new Vector3(...place).project(this.camera);
    if (v.z > 1) return null;
    return [(this.stacked ? 0 : index * this.paneWidth) + ((v.x + 1) / 2) * this.paneWidth, (this.stacked ? index * this.paneHeight : 0) + ((1 - v.y) / 2) * this.paneHeight];
  }

  // Which pane the pointer is in, or that one, and where in it, from -1 to 1; outside if it has left it.
  locate(event, only = -1) {
    const box = this.canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    const found = Math.floor(this.stacked ? y / this.paneHeight : x / this.paneWidth);
    const index = only >= 0 ? only : Math.min(this.panes.length - 1, Math.max(0, found));
    const left = this.stacked ? 0 : index * this.paneWidth, top = this.stacked ? index * this.paneHeight : 0;
    const pointer = new Vector2(((x - left) / this.paneWidth) * 2 - 1, 1 - ((y - top) / this.paneHeight) * 2);
    return { index, pane: this.panes[index], pointer, width: this.paneWidth, height: this.paneHeight };
  }

  ray(pointer) {
    const origin = this.camera.position.clone();
    const direction = new Vector3(pointer.x, pointer.y, 0.5).unproject(this.camera).sub(origin).normalize();
    return { origin, direction };
  }

  // Where the pointer is in the plane through a point that faces the camera; in two dimensions there is only one plane.
  inPlane(pointer, point, flat) {
    const normal = flat ? new Vector3(0, 0, 1) : this.camera.getWorldDirection(new Vector3());
    const plane = new Plane().setFromNormalAndCoplanarPoint(normal, point);
    const { origin, direction } = this.ray(pointer);
    const t = -plane.distanceToPoint(origin) / direction.dot(normal);
    origin.addScaledVector(direction, t);
    if (flat) origin.z = point.z;
    return origin;
  }

  // How many metres a pixel is, so far away.
  pixel(distance) {
    return (2 * distance * Math.tan((FOV * Math.PI) / 360)) / this.paneHeight;
  }
}
