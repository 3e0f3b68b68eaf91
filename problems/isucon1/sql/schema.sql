-- The blog: articles, and what readers said about them.

CREATE TABLE article (
  id         INT           NOT NULL AUTO_INCREMENT,
  title      VARCHAR(128)  NOT NULL,
  body       VARCHAR(4096) NOT NULL, -- lines end in \n
  created_at TIMESTAMP     NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8;

CREATE TABLE comment (
  id         INT           NOT NULL AUTO_INCREMENT,
  article    INT           NOT NULL, -- article.id
  name       VARCHAR(64)   NULL,     -- none, or empty: anonymous
  body       VARCHAR(1024) NOT NULL,
  created_at TIMESTAMP     NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (id),
  KEY article_id (article, id DESC),
  KEY article_created_at (article, created_at DESC)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8;
