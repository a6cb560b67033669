// A host of MCP Apps, for Chromium: the published AppBridge and client, and the rules that the specification leaves to a host.
// https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  AppBridge,
  buildAllowAttribute,
  getToolUiResourceUri,
  isToolVisibilityModelOnly,
  PostMessageTransport,
  RESOURCE_MIME_TYPE,
} from '@modelcontextprotocol/ext-apps/app-bridge';

const INFO = { name: 'judge-host', version: '1.0.0' };
const EXTENSIONS = { 'io.modelcontextprotocol/ui': { mimeTypes: [RESOURCE_MIME_TYPE] } };
const HOST_CAPABILITIES = { serverTools: {}, serverResources: {}, logging: {} };

/**
 * Calls a tool and shows its result in its app. Resolves when the app has received the result, with the resource as the server sent it.
 *
 * @param checksVisibility false for the bridge alone, which forwards every call of an app to the server
 */
async function openApp({ url, sandboxOrigin, tool: name, args = {}, mode = 'auto', checksVisibility = true }) {
  const client = new Client(INFO, { capabilities: { extensions: EXTENSIONS }, versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const { tools } = await client.listTools();
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const uri = getToolUiResourceUri(byName.get(name));
  const [content] = (await client.readResource({ uri })).contents;
  if (content.mimeType !== RESOURCE_MIME_TYPE) throw new Error(`${uri} is ${content.mimeType}`);
  const { csp, permissions } = content._meta?.ui ?? {};

  const bridge = new AppBridge(client, INFO, HOST_CAPABILITIES);
  const view = document.body.appendChild(document.createElement('iframe'));
  view.setAttribute('sandbox', 'allow-scripts allow-same-origin');
  view.setAttribute('allow', buildAllowAttribute(permissions));
  const initialized = new Promise((resolve) => bridge.addEventListener('initialized', resolve));
  bridge.addEventListener('sandboxready', () =>
    bridge.sendSandboxResourceReady({ html: content.text, csp, permissions }),
  );
  await bridge.connect(new PostMessageTransport(view.contentWindow, view.contentWindow));
  if (checksVisibility) {
    bridge.oncalltool = (params) => {
      const called = byName.get(params.name);
      if (!called || isToolVisibilityModelOnly(called)) throw new Error(`the app may not call ${params.name}`);
      return client.callTool(params);
    };
  }
  view.src = `${sandboxOrigin}/?csp=${encodeURIComponent(JSON.stringify(csp ?? {}))}`;
  await initialized;
  await bridge.sendToolInput({ arguments: args });
  await bridge.sendToolResult(await client.callTool({ name, arguments: args }));
  const forModels = tools.filter((tool) => tool._meta?.ui?.visibility?.includes('model') ?? true);
  return {
    content,
    allow: view.allow,
    forModels: forModels.map((tool) => tool.name),
    app: bridge.getAppVersion(),
    declared: client.getServerCapabilities().extensions,
    protocolVersion: client.getNegotiatedProtocolVersion?.(),
  };
}

Object.assign(globalThis, { openApp });
