import { FrameworkError } from '@sallyport/core';
import type { Stage } from '../run.js';

/** Refuses a body that is no body: base64 that is not, or a value that is no text. Text is not touched. */
export const validBody: Stage = ({ state: { request } }) => {
  const { source } = request;
  if (source.invalidBody !== undefined) throw new FrameworkError('app.bad_request', source.invalidBody);
  if (source.isBase64) void request.body;
  return undefined;
};
