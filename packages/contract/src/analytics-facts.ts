/** The facts by which requests are counted separately. */
export const analyticsFacts = ['operation', 'status', 'cause', 'key', 'address'] as const;

export type AnalyticsFact = (typeof analyticsFacts)[number];
