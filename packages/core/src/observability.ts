/** Sanitization, logger, metrics, spans and notification. Kept apart: a hello-world bundle holds none of it. */
export {};
