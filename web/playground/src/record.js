// Records what is to be seen: a film as WebM, as the browser makes it, or a GIF that loops.
import { quantise, writeGif } from "./gif.js";

const GIF = { width: 480, rate: 20, most: 240 };   // px, pictures a second, pictures

export class Recorder {
  constructor(app) {
    this.app = app;
    this.going = null;
  }

  // Begins, or ends what is going on and saves it.
  async toggle(kind) {
    if (this.going) return this.stop();
    const { app } = this;
    if (kind === "webm" && !(window.MediaRecorder && app.stage.canvas.captureStream)) return app.say("This browser makes no WebM; a GIF works everywhere");
    this.going = kind === "webm" ? this.film() : this.pictures();
    document.body.classList.add("recording");
    app.play(true);
    app.say("Recording; R ends it and saves", true);
    return null;
  }

  film() {
    const { canvas } = this.app.stage, stream = canvas.captureStream(60), chunks = [];
    const type = ["video/webm;codecs=vp9", "video/webm"].find((one) => MediaRecorder.isTypeSupported(one));
    const recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: 8e6 });
    recorder.ondataavailable = ({ data }) => chunks.push(data);
    recorder.start();
    return {
      end: () => new Promise((resolve) => {
        recorder.onstop = () => { for (const track of stream.getTracks()) track.stop(); resolve({ blob: new Blob(chunks, { type: "video/webm" }), name: "webm" }); };
        recorder.stop();
      }),
    };
  }

  // A picture of every few frames of the scene, so that it runs at its own speed however slowly this machine takes it.
  pictures() {
    const { app } = this, { stage } = app, { canvas } = stage, small = document.createElement("canvas"), frames = [];
    small.width = Math.min(GIF.width, canvas.width);
    small.height = Math.round((small.width * canvas.height) / canvas.width);
    const draw = small.getContext("2d", { willReadFrequently: true });
    const every = Math.max(1, Math.round(1 / (GIF.rate * app.panes[0].model.frameTime)));
    let last = -Infinity;
    stage.onrender = () => {
      if (app.cursor - last < every && app.cursor >= last) return;
      last = app.cursor;
      draw.drawImage(canvas, 0, 0, small.width, small.height);
      frames.push(quantise(draw.getImageData(0, 0, small.width, small.height).data, small.width));
      if (frames.length >= GIF.most) this.stop();
    };
    return {
      end: async () => {
        stage.onrender = null;
        if (!frames.length) throw new Error("nothing was recorded");
        return { blob: writeGif(frames, small.width, small.height, Math.round(100 * every * app.panes[0].model.frameTime)), name: "gif" };
      },
    };
  }

  async stop() {
    const { app, going } = this;
    this.going = null;
    document.body.classList.remove("recording");
    app.unsay();
    try {
      const { blob, name } = await going.end();
      app.save(`${app.fileName}.${name}`, blob, blob.type);
      app.say(`Saved, ${(blob.size / 1e6).toFixed(1)} MB`);
    } catch (error) {
      app.say(error.message);
    }
  }
}
