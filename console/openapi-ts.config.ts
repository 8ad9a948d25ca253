import { defineConfig } from "@hey-api/openapi-ts";

/** Writes `src/api/types.gen.ts` from the API's description: types only, nothing that ships. */
export default defineConfig({
  input: "../docs/openapi.json",
  output: { path: "src/api", clean: false, entryFile: false },
  plugins: ["@hey-api/typescript"],
  logs: { file: false },
});
