-- The tables of the database isu4_qualifier. init.sh makes the database itself
-- (default character set utf8) and then loads this file into it.

CREATE TABLE users (
  id            INT          NOT NULL AUTO_INCREMENT,
  login         VARCHAR(255) NOT NULL,
  password_hash VARCHAR(255) NOT NULL, -- SHA-256 of "password:salt", 64 lower-case hex digits
  salt          VARCHAR(255) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY (login)
) DEFAULT CHARACTER SET utf8;

-- One row for every attempt to log in, whatever came of it.
CREATE TABLE login_log (
  id         BIGINT       NOT NULL AUTO_INCREMENT,
  created_at DATETIME     NOT NULL,
  user_id    INT          NULL,     -- NULL: there is no user of that name
  login      VARCHAR(255) NOT NULL, -- as typed
  ip         VARCHAR(255) NOT NULL,
  succeeded  TINYINT      NOT NULL, -- 1 or 0
  PRIMARY KEY (id)
) DEFAULT CHARACTER SET utf8;
