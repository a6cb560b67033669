const { defineRoutes } = require('@sallyport/secure');
const { choosePosture } = require('@sallyport/secure/migrate');
const controller = require('../controllers/notes');


// TODO(sallyport): controller.list is not a function of this service: it takes ctx and returns an answer
const router = defineRoutes((router) => {
  router.get('/', controller.list, choosePosture('GET /'), { trailingSlash: true });
// TODO(sallyport): controller.create is not a function of this service: it takes ctx and returns an answer
  router.post('/', controller.create, choosePosture('POST /'), { trailingSlash: true });
// TODO(sallyport): controller.get is not a function of this service: it takes ctx and returns an answer
  router.get('/{id}', controller.get, choosePosture('GET /{id}'), { trailingSlash: true });
// TODO(sallyport): controller.update is not a function of this service: it takes ctx and returns an answer
  router.patch('/{id}', controller.update, choosePosture('PATCH /{id}'), { trailingSlash: true });
// TODO(sallyport): controller.remove is not a function of this service: it takes ctx and returns an answer
  router.delete('/{id}', controller.remove, choosePosture('DELETE /{id}'), { trailingSlash: true });
// TODO(sallyport): controller.raw is not a function of this service: it takes ctx and returns an answer
  router.get('/{id}/raw', controller.raw, choosePosture('GET /{id}/raw'), { trailingSlash: true });
});

module.exports = router;
