const { defineRoutes } = require('@sallyport/secure');
const { choosePosture } = require('@sallyport/secure/migrate');
const controller = require('../controllers/notes');

const router = defineRoutes((router) => {
  router.get('/', controller.list, choosePosture('GET /notes'), { trailingSlash: true });
  router.post('/', controller.create, choosePosture('POST /notes'), { trailingSlash: true });
  router.get('/{id}', controller.get, choosePosture('GET /notes/{id}'), { trailingSlash: true });
  router.patch('/{id}', controller.update, choosePosture('PATCH /notes/{id}'), { trailingSlash: true });
  router.delete('/{id}', controller.remove, choosePosture('DELETE /notes/{id}'), { trailingSlash: true });
  router.get('/{id}/raw', controller.raw, choosePosture('GET /notes/{id}/raw'), { trailingSlash: true });
});

module.exports = router;
