/** `{id}` of a route's path, and `{rest+}`, which matches several segments. */
export const PATH_PARAMETER = /\{([^{}+]+)(\+?)\}/g;
