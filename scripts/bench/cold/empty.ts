// An empty module: the cost of the process itself.
export const handler = async () => ({ statusCode: 200 });
