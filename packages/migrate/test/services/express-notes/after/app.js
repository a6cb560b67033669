const { isFrameworkError } = require('@sallyport/core');
const { html, json } = require('@sallyport/http');
const { expressCompat } = require('@sallyport/http/compat');
const { SecureApp } = require('@sallyport/secure');
const { choosePosture } = require('@sallyport/secure/migrate');
const notes = require('./routes/notes');

const app = new SecureApp({ ...expressCompat, notFound: () => {
  return json(404, { error: 'nothing here' });
}, onError: (ctx, err) => (isFrameworkError(err) ? expressCompat.onError(ctx, err) : ((ctx, err) => {
  console.error(err.message);
  return json(err.statusCode || 500, { error: err.expose ? err.message : 'internal' });
})(ctx, err)) });

app.group('/notes', {}, notes);

app.get('/status', (ctx) => {
  return withHeaders(json(200, { up: true, agent: ctx.header('user-agent') }), { 'Cache-Control': 'no-store' });
}, choosePosture('GET /status'), { trailingSlash: true });

app.get('/greet', function(ctx) {
  if (!ctx.query('name')) {
    return html(400, '<p>Who are you?</p>');
  }
  return html(200, `<p>Hello ${ctx.query('name')}</p>`);
}, choosePosture('GET /greet'), { trailingSlash: true });

module.exports = app;

/** The answer with further headers. */
function withHeaders(answer, headers) {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}
