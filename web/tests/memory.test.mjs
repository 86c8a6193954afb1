// Memory stays flat over ten minutes: what the page records, and what the engine takes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "../package/sinew.js";
import { Timeline } from "../playground/src/timeline.js";
import { files, text } from "./scenes.mjs";

const TEN_MINUTES = 36000;   // frames

test("a recording of ten minutes keeps within its bytes, and reaches back to the start", () => {
  const timeline = new Timeline(4 * 2 ** 20), report = {};
  let most = 0;
  for (let frame = 0; frame <= TEN_MINUTES; ++frame) {
    timeline.add({ frame, time: frame / 60, report, positions: { byteLength: 3000 }, bodies: { byteLength: 280 } });
    most = Math.max(most, timeline.bytes);
  }
  assert.ok(most <= timeline.most + Timeline.size(timeline.frames[0]), `${most} bytes`);
  assert.ok(timeline.frames.length * 3780 > timeline.most / 4, "it is used");
  assert.equal(timeline.at(0).frame, 0);
  assert.equal(timeline.last, TEN_MINUTES);
  assert.ok(timeline.curves.length <= 20000);
});

test("the engine takes no more memory after ten minutes than after ten seconds", async () => {
  const sinew = await load();
  for (const [name, frames] of [["pendulum", TEN_MINUTES], ["box_2d", TEN_MINUTES], ["ragdoll_stairs", process.env.SINEW_LONG_TESTS ? TEN_MINUTES : 1200]]) {
    const scene = sinew.scene(text(name), { name, files });
    let warm = 0;
    for (let frame = 0; frame < frames; ++frame) {
      scene.frame();
      if (frame % 60 === 0) { scene.world.snapshot().destroy(); scene.world.report(); scene.world.hash(); }
      if (frame === 600) warm = sinew.memory;
    }
    assert.equal(sinew.memory, warm, name);
    scene.destroy();
  }
});
