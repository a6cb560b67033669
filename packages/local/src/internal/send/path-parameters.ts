/** `{id}` of a route's path, and `{rest+}`, which takes several segments. */
export const PATH_PARAMETER = /\{([^{}+]+)(\+?)\}/g;
