import { load } from "sinew-physics";
load({ threads: 2 }).then((sinew) => {
  const scene = sinew.scene(JSON.stringify({ objects: [{ type: "rope", pins: ["start"] }] }));
  for (let i = 0; i < 10; ++i) scene.frame();
  document.getElementById("out").textContent = `${scene.world.hash()} threads ${sinew.threads}`;
}).catch((error) => {
  document.getElementById("out").textContent = error.message;
});
