export { bootstrapMean } from "./intervals/bootstrap-mean.ts";
export { clusterBootstrap, fewGroups, type BootstrapOptions } from "./intervals/cluster-bootstrap.ts";
