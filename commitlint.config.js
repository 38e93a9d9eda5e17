export default { extends: ['@commitlint/config-conventional'], rules: { 'body-max-line-length': [0] } };
