/**
 * The guards that `npm run mutants` takes out, one at a time: where each stands, what replaces it, and the test that must
 * then fail. A guard whose removal no test notices does not guard.
 */
export const guards = [];
