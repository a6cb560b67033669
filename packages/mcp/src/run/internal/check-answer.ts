import { isObject } from '../../protocol/internal/json-rpc.js';
import type { InputRequest, InputResponse, JsonObject } from '../../protocol/types.js';
import { createCheck } from './check-schema.js';

/** A client's answer as a typed value, or `undefined` when it does not fit the question. */
export async function checkAnswer(request: InputRequest, raw: unknown): Promise<InputResponse | undefined> {
  if (!isObject(raw)) return undefined;
  switch (request.method) {
    case 'elicitation/create':
      return isElicitResult(raw) && (await fitsSchema(request.params.requestedSchema, raw)) ? cast(raw) : undefined;
    case 'sampling/createMessage':
      return isSampleResult(raw) ? cast(raw) : undefined;
    case 'roots/list':
      return isRootsResult(raw) ? cast(raw) : undefined;
  }
}

/** Whether an answer has the shape of an answer to anything. */
export function isInputResponse(raw: unknown): raw is InputResponse {
  return isObject(raw) && (isElicitResult(raw) || isSampleResult(raw) || isRootsResult(raw));
}

const cast = (raw: JsonObject): InputResponse => raw as unknown as InputResponse;

function isElicitResult(raw: JsonObject): boolean {
  const { content } = raw;
  return ['accept', 'decline', 'cancel'].includes(raw.action as string) && (content === undefined || isObject(content));
}

function isSampleResult({ role, model, content }: JsonObject): boolean {
  return (
    (role === 'user' || role === 'assistant') &&
    typeof model === 'string' &&
    typeof content === 'object' &&
    content !== null
  );
}

function isRootsResult({ roots }: JsonObject): boolean {
  return Array.isArray(roots) && roots.every((root) => isObject(root) && typeof root.uri === 'string');
}

async function fitsSchema(schema: JsonObject | undefined, raw: JsonObject): Promise<boolean> {
  if (raw.action !== 'accept' || schema === undefined) return true;
  const check = await createCheck(schema);
  return check(raw.content ?? {}).length === 0;
}
