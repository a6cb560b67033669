/** The registrations of a handler, with their schemas as JSON; `undefined` for a handler that is not of Sallyport. */
export declare function describe(handler: unknown): object | undefined;
