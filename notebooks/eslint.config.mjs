import base from "../eslint.config.mjs";

export default [{ ignores: ["scripts*"] }, ...base];
