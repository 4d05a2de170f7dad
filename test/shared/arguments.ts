/** Arguments that are addresses with a password, or meant as such. */
export const WITH_PASSWORD: readonly string[] = [
  'redis://:pw@h',
  'REDISS://user:pw@h/0',
  'redis+sentinel://u:p@w@h/x',
  'mysql://u:p/w?x@h/d',
  'redis://u:12x?4@h',
  'dynamodb://a:b@r/t',
  ' redis://u:p@h',
  '"redis://u:p@h"',
  '--store="redis://u:p@h"',
  '--stoer=redis://u:p@h',
  'mariadb://u:p@h/d',
  'redis+tls://u:p@h',
]

export const WITHOUT_PASSWORD: readonly string[] = [
  'redis://user@h:6379/0',
  'redis://user@[::1]:6379/0',
  'redis://h:6379/0',
  'redis://h:6379/0?match=user@*',
  'redis://[::1]/0?match=user:*@*',
  'dynamodb://eu-west-1/t?endpoint=http://127.0.0.1:8000',
  'memory:a@b',
  'memory:job:alice@example.com',
  'see redis://u:p@h',
]
