/*! Elements and events. Written for the hotseat project under its MIT license. This is not jQuery. */
(function (window, document) {
"use strict";

function Set(elements) {
  this.elements = elements;
  this.length = elements.length;
}

function $(what, within) {
  if (what instanceof Set) { return what; }
  if (typeof what === "function") { return ready(what); }
  if (typeof what === "string") { return new Set([].slice.call((within || document).querySelectorAll(what))); }
  return new Set(what ? [what] : []);
}

function ready(then) {
  if (document.readyState === "loading") {
    document.addEventListener("DOMContentLoaded", then);
  } else {
    then();
  }
  return $(document);
}

Set.prototype = {
  each: function (visit) {
    for (var i = 0; i < this.length; i++) { visit.call(this.elements[i], i, this.elements[i]); }
    return this;
  },
  find: function (selector) {
    var found = [];
    this.each(function () { found = found.concat($(selector, this).elements); });
    return new Set(found);
  },
  first: function () { return new Set(this.elements.slice(0, 1)); },
  on: function (name, listener) {
    return this.each(function () { this.addEventListener(name, listener); });
  },
  text: function (value) {
    if (value === undefined) { return this.length ? this.elements[0].textContent : ""; }
    return this.each(function () { this.textContent = value; });
  },
  attr: function (name, value) {
    if (value === undefined) { return this.length ? this.elements[0].getAttribute(name) : null; }
    return this.each(function () { this.setAttribute(name, value); });
  },
  css: function (name, value) {
    return this.each(function () { this.style[name] = value; });
  },
  addClass: function (name) { return this.each(function () { this.classList.add(name); }); },
  removeClass: function (name) { return this.each(function () { this.classList.remove(name); }); },
  show: function () { return this.css("display", ""); },
  hide: function () { return this.css("display", "none"); },
  remove: function () { return this.each(function () { if (this.parentNode) { this.parentNode.removeChild(this); } }); }
};

$.fn = Set.prototype;
$.parts = {};
window.$ = $;
}(window, document));
