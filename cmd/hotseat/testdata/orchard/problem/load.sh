#!/bin/sh
# Fills an empty database: twenty thousand crates of two hundred growers.
set -eu
port=${DB_ADDRESS##*:}
MYSQL_PWD=packer mariadb --no-defaults --protocol=TCP --host=127.0.0.1 --port="$port" --user=packer <<'SQL'
DROP DATABASE IF EXISTS orchard;
CREATE DATABASE orchard DEFAULT CHARACTER SET utf8mb4;
USE orchard;
CREATE TABLE growers (id INT PRIMARY KEY, name VARCHAR(64) NOT NULL);
CREATE TABLE crates (id INT PRIMARY KEY, grower INT NOT NULL, plot INT NOT NULL, picked DATETIME NOT NULL, label CHAR(250) NOT NULL,
  KEY by_place (grower, plot), KEY by_time (picked));
CREATE TABLE pictures (id INT PRIMARY KEY, body MEDIUMBLOB NOT NULL);
CREATE TABLE notes (id INT PRIMARY KEY AUTO_INCREMENT, crate INT NOT NULL, words VARCHAR(64) NOT NULL);
CREATE TABLE scales (id INT PRIMARY KEY, reading BIGINT NOT NULL);
INSERT INTO growers SELECT seq, CONCAT('grower ', seq) FROM seq_1_to_200;
INSERT INTO crates SELECT seq, 1 + seq MOD 200, 1 + seq MOD 7, '2026-01-01' + INTERVAL (seq * 7919) MOD 20011 MINUTE, MD5(seq) FROM seq_1_to_20000;
INSERT INTO pictures SELECT seq, REPEAT(MD5(seq), 2500) FROM seq_1_to_40;
INSERT INTO scales VALUES (1, 0);
SQL
