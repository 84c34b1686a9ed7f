/** How long, in milliseconds, a test waits for what comes at once on a machine that has nothing else to do. */
export const PATIENCE = 120_000;
