/*! Widgets. Written for the hotseat project under its MIT license. This is not jQuery UI. */
(function ($) {
"use strict";

$.fn.tabs = function () {
  return this.each(function () {
    var panels = $(".ui-tabs-panel", this).hide();
    panels.first().show();
    $(".ui-tabs-nav a", this).on("click", function (event) {
      panels.hide();
      $(this.getAttribute("href")).show();
      event.preventDefault();
    });
  });
};

$.fn.progress = function (share) {
  return this.find(".ui-progressbar-value").css("width", Math.round(100 * share) + "%");
};

$.fn.dialog = function (open) {
  return open === false ? this.hide() : this.show().addClass("ui-dialog");
};
}($));
