const app = require('./app');

module.exports.handler = app.handleLambda;
