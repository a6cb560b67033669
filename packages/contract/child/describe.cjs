// Describes the registrations of a loaded handler with their schemas as JSON. Plain JavaScript: it also runs in processes that have only the
// bundle of a service.
'use strict';

const STATED = Symbol.for('sallyport.stated/1');
const PAYLOAD = Symbol.for('sallyport.streams.payload/1');
const ORDERED_BY = Symbol.for('sallyport.streams.ordered-by/1');
/** Longest JSON text of one schema. */
const MAX_SCHEMA = 1_000_000;
const MAX_DEPTH = 8;

/** The description; `undefined` for a handler that is not of Sallyport. */
function describe(handler) {
  const inspection = handler?.[Symbol.for('framework.inspect')];
  if (!inspection) return undefined;
  return {
    routes: inspection.routes().map(toRoute),
    triggers: inspection.triggers().map(toTrigger),
    sends: toPlain(inspection.sends ?? {}, 0),
    ...(inspection.socket?.envelope && { envelope: toPlain(inspection.socket.envelope, 0) }),
  };
}

function toRoute(line) {
  const { handler, ...states } = line[STATED] ?? {};
  const { contract } = handler ?? {};
  const { mcp, ...own } = handler?.[STATED] ?? {};
  return {
    ...line,
    states: toPlain({ ...states, ...own, ...(contract && { contract }) }, 0),
    ...(typeof mcp === 'function' && { mcp: toServer(mcp()) }),
  };
}

function toTrigger(line) {
  const schema = line[PAYLOAD];
  const orderedBy = line[ORDERED_BY];
  return {
    ...line,
    ...(schema !== undefined && { payload: toPlain(schema, 0) }),
    ...(orderedBy !== undefined && { orderedBy }),
  };
}

function toServer({ info, registry }) {
  const listed = (map) => [...map.values()].map((item) => ({ ...JSON.parse(item.listed), scopes: [...item.scopes] }));
  const { tools, prompts, resources, templates } = registry;
  return {
    info: toPlain(info, 0),
    tools: listed(tools),
    prompts: listed(prompts),
    resources: listed(resources),
    templates: listed(templates),
  };
}

/** A copy as JSON, with schemas under `schema:`. Functions are left out. */
function toPlain(value, depth) {
  if (typeof value === 'function' || (typeof value === 'object' && value !== null)) {
    if (value['~standard']?.version === 1) return { 'schema:': toSchema(value['~standard']) };
    if (typeof value === 'function' || depth > MAX_DEPTH) return undefined;
    if (Array.isArray(value)) return value.map((entry) => toPlain(entry, depth + 1) ?? null);
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toPlain(member, depth + 1)]));
  }
  return typeof value === 'bigint' || typeof value === 'symbol' ? undefined : value;
}

/** The JSON Schemas of both directions, or the reason why there is none. */
function toSchema({ jsonSchema, vendor }) {
  const write = (side) => {
    if (!jsonSchema) return { reason: `${vendor} cannot write it as JSON Schema` };
    try {
      const text = JSON.stringify(jsonSchema[side]({ target: 'draft-2020-12' }));
      if (text.length > MAX_SCHEMA) return { reason: `its JSON Schema has more than ${MAX_SCHEMA} characters` };
      return { json: JSON.parse(text) };
    } catch (error) {
      return {
        reason: String(error?.message ?? error)
          .split('\n')[0]
          .slice(0, 200),
      };
    }
  };
  return { input: write('input'), output: write('output') };
}

module.exports = { describe };
