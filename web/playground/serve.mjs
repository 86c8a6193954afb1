// Serves a folder on this machine, with the headers that threads need. What tests use; 'sinew view' serves the page without Node.
//
//     node serve.mjs [FOLDER] [PORT]
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".json": "application/json", ".wasm": "application/wasm", ".webp": "image/webp" };

// isolated: whether the page may share memory between threads. Returns { url, close, requests }.
export async function serve(folder, { port = 0, isolated = true, prefix = "/" } = {}) {
  const root = path.resolve(folder), requests = [];
  const server = createServer(async (request, response) => {
    const where = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    requests.push(where);
    const file = path.join(root, where.startsWith(prefix) ? where.slice(prefix.length) || "index.html" : "..");
    if (!file.startsWith(root + path.sep)) return response.writeHead(404).end();
    try {
      const bytes = await readFile(file);
      const headers = { "Content-Type": types[path.extname(file)] || "application/octet-stream", "Cache-Control": "no-store" };
      if (isolated) Object.assign(headers, { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" });
      response.writeHead(200, headers).end(bytes);
    } catch {
      response.writeHead(404, { "Content-Type": "text/plain" }).end("not found");
    }
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}${prefix}`, close: () => server.close(), requests };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { url } = await serve(process.argv[2] || path.join(path.dirname(fileURLToPath(import.meta.url)), "dist"), { port: Number(process.argv[3]) || 8080 });
  console.log(url);
}
