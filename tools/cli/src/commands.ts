/** A command whose module is loaded when it runs: `residua serve` answers without what fits probes and draws plots. */
function lazy<A extends unknown[]>(load: () => Promise<(...args: A) => Promise<void>>) {
  return async (...args: A): Promise<void> => (await load())(...args);
}

export const backendInstall = lazy(async () => (await import("./backend-install.ts")).backendInstall);
export const backendList = lazy(async () => (await import("./backend-list.ts")).backendList);
export const backendRemove = lazy(async () => (await import("./backend-remove.ts")).backendRemove);
export const captureCommand = lazy(async () => (await import("./capture.ts")).captureCommand);
export const chatTokens = lazy(async () => (await import("./chat-tokens.ts")).chatTokens);
export const compareCommand = lazy(async () => (await import("./compare.ts")).compareCommand);
export const complete = lazy(async () => (await import("./complete.ts")).complete);
export const validateDataset = lazy(async () => (await import("./dataset-validate.ts")).validateDataset);
export const doctor = lazy(async () => (await import("./doctor.ts")).doctor);
export const convertDataset = lazy(async () => (await import("./dataset-convert.ts")).convertDataset);
export const describeDataset = lazy(async () => (await import("./dataset-describe.ts")).describeDataset);
export const explore = lazy(async () => (await import("./explore.ts")).explore);
export const exportCommand = lazy(async () => (await import("./export.ts")).exportCommand);
export const firstRun = lazy(async () => (await import("./first-run.ts")).firstRun);
export const importCommand = lazy(async () => (await import("./import.ts")).importCommand);
export const lintDataset = lazy(async () => (await import("./dataset-lint.ts")).lintDataset);
export const makeKey = lazy(async () => (await import("./make-key.ts")).makeKey);
export const mergeDatasetsCommand = lazy(
  async () => (await import("./dataset-merge.ts")).mergeDatasetsCommand,
);
export const modelsCommand = lazy(async () => (await import("./models.ts")).modelsCommand);
export const planCommand = lazy(async () => (await import("./plan.ts")).planCommand);
export const probeFit = lazy(async () => (await import("./probe-fit.ts")).probeFit);
export const probeScore = lazy(async () => (await import("./probe-score.ts")).probeScore);
export const reportCommand = lazy(async () => (await import("./report.ts")).reportCommand);
export const schema = lazy(async () => (await import("./schema.ts")).schema);
export const runPipeline = lazy(async () => (await import("./pipeline/run-pipeline.ts")).runPipeline);
export const sample = lazy(async () => (await import("./sample.ts")).sample);
export const selfTestCommand = lazy(async () => (await import("./selftest.ts")).selfTestCommand);
export const serve = lazy(async () => (await import("./serve.ts")).serve);
export const steerCommand = lazy(async () => (await import("./steer.ts")).steerCommand);
export const steerSearchCommand = lazy(async () => (await import("./steer-search.ts")).steerSearchCommand);
export const tokenize = lazy(async () => (await import("./tokenize.ts")).tokenize);
export const transferCommand = lazy(async () => (await import("./transfer.ts")).transferCommand);
export const sweepCommand = lazy(async () => (await import("./sweep.ts")).sweepCommand);
