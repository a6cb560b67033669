// Replaces `node:diagnostics_channel`, whose tracing channels Node 22 cannot write into a startup snapshot.
const SILENT = { hasSubscribers: false };

export const channel = () => SILENT;
export const tracingChannel = () => SILENT;
