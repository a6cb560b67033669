// @ts-check
const { FrameworkError: AppError } = require('@sallyport/core');
const { json: toJson } = require('@sallyport/http');
const limits = require('@sallyport/ratelimit');
const middy = require('@middy/core');

/** @param {import('@sallyport/core').Context} ctx */
function answer(ctx) {
  if (ctx.param('id') === '') throw new AppError('app.not_found', 'nothing here');
  return toJson(200, { limits: Object.keys(limits).length });
}

// TODO(sallyport): the method and the path of this function are in its deployment: app.post(path, handler, posture)
exports.handler = middy().handler(answer);
