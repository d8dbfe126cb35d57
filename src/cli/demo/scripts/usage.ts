/** What a model would have used for a step, so that the costs of the demo look like those of a real night. */
export const usage = (input: number, output: number, cost_usd: number) => ({ input, output, cost_usd });
