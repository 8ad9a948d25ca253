import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The widget is written for React and ships Preact, which is a tenth of its size. */
export const preactAliases = [
  { find: /^react\/jsx(-dev)?-runtime$/, replacement: "preact/jsx-runtime" },
  { find: /^react-dom\/client$/, replacement: "preact/compat/client" },
  { find: /^react-dom\/test-utils$/, replacement: "preact/test-utils" },
  { find: /^react-dom$/, replacement: "preact/compat" },
  { find: /^react$/, replacement: "preact/compat" },
];

export default defineConfig({
  root,
  publicDir: false,
  resolve: { alias: preactAliases },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: ["chrome111", "firefox111", "safari16.4"],
    // The CSP allows no inline script, data address or foreign origin.
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
    rolldownOptions: { input: `${root}widget.html` },
  },
});
