// Loads a bundle and describes its handler, and records the variables that it reads. Also runs as a worker, which loads the bundle a second time.
'use strict';
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { describe } = require('@sallyport/contract/describe');

/** Variables of the system and of Node, which have no placeholder. */
const IS_SYSTEM =
  /^(?:AWS|FRAMEWORK|LAMBDA|NODE|OTEL|DEBUG|_|(?:HOME|PATH|TZ|LANG|TMPDIR|NO_COLOR|FORCE_COLOR|WATCH_REPORT_DEPENDENCIES)$)/;

/** Values for variables that constructs set, in the form that the packages accept. */
const KNOWN = {
  FRAMEWORK_VECTOR_INDEX_ARN: 'arn:aws:s3vectors:us-east-1:123456789012:bucket/placeholder/index/placeholder',
  FRAMEWORK_VECTOR_DIMENSION: '1024',
  FRAMEWORK_MICROVM_IMAGE_REF: 'arn:aws:lambda:us-east-1:123456789012:microvm-image:placeholder',
  FRAMEWORK_MCP_SECRET_ARN: 'arn:aws:secretsmanager:us-east-1:123456789012:secret:placeholder',
};

/** A value for a variable that only a deployment knows. */
function placeholderOf(name) {
  if (Object.hasOwn(KNOWN, name)) return KNOWN[name];
  if (IS_SYSTEM.test(name) && !/^FRAMEWORK_\w+_TABLE_NAME$/.test(name)) return undefined;
  // Packages check addresses and the length of secrets when they are created.
  if (/(?:^|_)(?:URL|URI|ISSUER|ORIGIN|ENDPOINT)$/.test(name)) return 'https://placeholder.invalid';
  return /(?:^|_)(?:SECRET|KEY|PASSWORD)$/.test(name) ? 'placeholder'.repeat(4) : 'placeholder';
}

/** Records reads of variables. @returns the names, and those without a value that can have a placeholder */
function watchVariables(placeholders) {
  const read = new Set();
  const missing = new Set();
  const get = (variables, name) => {
    if (typeof name !== 'string' || name in Object.prototype) return variables[name];
    read.add(name);
    if (variables[name] !== undefined) return variables[name];
    const placeholder = placeholderOf(name);
    if (placeholder !== undefined) missing.add(name);
    return placeholders ? placeholder : undefined;
  };
  Object.defineProperty(process, 'env', { value: new Proxy(process.env, { get }) });
  return { read, missing };
}

/** Loads the bundle. The error of the application is part of the result. */
async function inspect({ folder, entry, handler: name, placeholders, describes }, textOf) {
  const { read, missing } = watchVariables(placeholders);
  const found = {};
  // `environment()` of `@sallyport/parameters` then describes its variables instead of throwing.
  const described = [];
  globalThis[Symbol.for('sallyport.parameters.environment/1')] = described;
  try {
    const exported = await import(pathToFileURL(join(folder, entry)).href);
    const handler = exported[name] ?? exported.default?.[name];
    const inspection = handler?.[Symbol.for('framework.inspect')];
    if (inspection) {
      const { routes, triggers, uses, deployment } = inspection;
      found.inventory = { routes: routes(), triggers: triggers(), ...(uses && { uses: uses() }) };
      if (deployment) found.deployment = deployment;
      found.format = handler[Symbol.for('sallyport.http.streamed-kind/1')] ?? 'json';
      // A schema that cannot be written is an error of the document, and one `unknown` of the contract.
      if (describes) found.contract = describe(handler);
      if (describes !== true) found.openapi = inspection.openapi?.() ?? null;
    }
  } catch (error) {
    found.error = textOf(error);
  }
  if (described.length > 0) found.environment = described;
  return { ...found, read: [...read], missing: [...missing] };
}

module.exports = { inspect };

const { isMainThread, parentPort, workerData } = require('node:worker_threads');
if (!isMainThread && workerData?.inspects) {
  require('./no-network.cjs');
  globalThis.awslambda = { streamifyResponse: (handler) => handler, HttpResponseStream: { from: (stream) => stream } };
  const ignore = () => undefined;
  process.on('uncaughtException', ignore);
  process.on('unhandledRejection', ignore);
  inspect(workerData, (error) => String(error?.message ?? error)).then((found) => {
    parentPort.postMessage(JSON.stringify(found));
    process.exit(0);
  });
}
