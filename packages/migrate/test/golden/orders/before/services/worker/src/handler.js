// @ts-check
const { AppError, json: toJson } = require('@acme/lambda-kit');
const limits = require('@acme/lambda-kit/limits');
const middy = require('@middy/core');

/** @param {import('@acme/lambda-kit').Ctx} ctx */
function answer(ctx) {
  if (ctx.param('id') === '') throw new AppError('app.not_found', 'nothing here');
  return toJson(200, { limits: Object.keys(limits).length });
}

exports.handler = middy().handler(answer);
