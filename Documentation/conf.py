# SPDX-License-Identifier: MIT
project = "Tessera"
html_theme = "alabaster"
html_static_path = []
exclude_patterns = []
master_doc = "index"
primary_domain = "c"
# Types of libc and of the kernel have no page here.
nitpicky = False
