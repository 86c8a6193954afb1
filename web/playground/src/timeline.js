// The recorded frames of one pane, by their numbers. Memory is bounded: when it is full, every other one of the older frames goes,
// so that the whole past stays within reach, coarser the longer ago.
const BYTES = 160 * 2 ** 20;
const CURVES = 20000;   // reports that are kept for curves

export class Timeline {
  constructor(bytes = BYTES) {
    this.most = bytes;
    this.clear();
  }

  clear() {
    this.frames = [];   // ascending
    this.bytes = 0;
    this.curves = [];   // reports, also of frames whose positions are gone: they are small
  }

  get last() {
    return this.frames.length ? this.frames[this.frames.length - 1].frame : -1;
  }

  static size(picture) {
    return picture.positions.byteLength + picture.bodies.byteLength + (picture.drawn ? picture.drawn.points.byteLength + picture.drawn.lines.byteLength : 0) + 500;
  }

  add(picture) {
    if (picture.frame <= this.last) {
      this.frames[this.frames.length - 1] = picture;   // the same frame again, as commands left it, or with its reason to stop
      this.curves[this.curves.length - 1] = { time: picture.time, frame: picture.frame, report: picture.report };
      return;
    }
    this.frames.push(picture);
    this.curves.push({ time: picture.time, frame: picture.frame, report: picture.report });
    if (this.curves.length > CURVES) this.curves = this.curves.filter((row, i) => i === 0 || i > CURVES / 2 || i % 2 === 0);
    this.bytes += Timeline.size(picture);
    if (this.bytes > this.most) this.thin();
  }

  thin() {
    const half = Math.floor(this.frames.length / 2);
    this.frames = this.frames.filter((picture, i) => i === 0 || i >= half || i % 2 === 0);
    this.bytes = this.frames.reduce((sum, picture) => sum + Timeline.size(picture), 0);
  }

  // The recorded frame with this number, or the last one before it.
  at(frame) {
    let low = 0, high = this.frames.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.frames[middle].frame <= frame) low = middle;
      else high = middle - 1;
    }
    return this.frames[low];
  }

  // The next one that is recorded after this number.
  after(frame) {
    const found = this.frames.find((picture) => picture.frame > frame);
    return found ? found.frame : this.last;
  }

  cut(frame) {
    this.frames = this.frames.filter((picture) => picture.frame <= frame);
    this.curves = this.curves.filter((row) => row.frame <= frame);
    this.bytes = this.frames.reduce((sum, picture) => sum + Timeline.size(picture), 0);
  }
}
