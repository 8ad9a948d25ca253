import { fileURLToPath } from "node:url";
import { build } from "vite";
import { checkBudgets } from "./budgets.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

for (const part of ["widget", "loader"]) {
  await build({ configFile: `${root}vite/${part}.ts`, logLevel: "warn" });
}
const problems = checkBudgets(`${root}dist`);
for (const problem of problems) console.error(`error: ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;
