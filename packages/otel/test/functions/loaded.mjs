// Prints the modules of Node that the tracer loads: with its import, and with the construction of a tracer.
import { pathToFileURL } from 'node:url';

const loaded = () => process.moduleLoadList.filter((name) => name.startsWith('NativeModule '));
const before = new Set(loaded());
const { tracing } = await import(pathToFileURL(process.argv[2]).href);
const imported = loaded().filter((name) => !before.has(name));
tracing({ service: 'orders' });
const constructed = loaded().filter((name) => !before.has(name) && !imported.includes(name));
process.stdout.write(JSON.stringify({ imported, constructed }));
