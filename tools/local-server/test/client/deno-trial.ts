import process from "node:process";
import { trial } from "./trial.ts";

// `deno run -A deno-trial.ts BASE_URL KEY`: prints what the trial gave.
const [baseURL = "", apiKey = ""] = process.argv.slice(2);
console.log(JSON.stringify(await trial(baseURL, apiKey)));
