export { prometheusHooks } from "./prometheus-hooks.js";
