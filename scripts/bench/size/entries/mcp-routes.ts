import * as routes from '@sallyport/mcp/routes';

export const used = Object.values(routes);
