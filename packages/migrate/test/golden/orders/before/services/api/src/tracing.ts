// Imported for what it does: it has to come before everything that is traced.
process.env.TRACING ??= 'on';

export {};
