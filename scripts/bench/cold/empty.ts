// An empty module: what the process itself costs.
export const handler = async () => ({ statusCode: 200 });
