import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The server looks for the placeholder as a JSON string; the minifier writes strings as templates. */
const jsonPlaceholder: Plugin = {
  name: "vitrine-json-placeholder",
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type === "chunk") chunk.code = chunk.code.replace(/[`'"](__VITRINE_LAUNCHER__)[`'"]/, '"$1"');
    }
  },
};

export default defineConfig({
  root,
  publicDir: false,
  plugins: [jsonPlaceholder],
  build: {
    outDir: "dist",
    emptyOutDir: false,
    target: ["chrome111", "firefox111", "safari16.4"],
    reportCompressedSize: false,
    lib: {
      entry: "src/loader/main.ts",
      formats: ["iife"],
      name: "vitrineLoader",
      fileName: () => "loader.js",
    },
  },
});
