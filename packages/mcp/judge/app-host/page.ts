/** The app of the judged server. */
export const APP_URI = 'ui://judge/page';

/** Shows the result of a call without any library, as the specification allows. */
export const APP_PAGE = `<!doctype html>
<title>Judge</title>
<body>waiting</body>
<script>
  const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  addEventListener('message', ({ data: { id, result } }) => {
    if (id === 1 && result) {
      send({ method: 'ui/notifications/initialized', params: {} });
      send({ id: 2, method: 'tools/call', params: { name: 'test_simple_text', arguments: {} } });
    }
    if (id === 2 && result) document.body.textContent = result.content[0].text;
  });
  const appInfo = { name: 'judge', version: '1.0.0' };
  send({ id: 1, method: 'ui/initialize', params: { protocolVersion: '2026-01-26', appInfo, appCapabilities: {} } });
</script>
`;
