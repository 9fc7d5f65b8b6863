# What a package holds, and where. Programs lie side by side: fettle and fettle-cli look for fettle-worker beside them.
include(GNUInstallDirs)
foreach(program fettle fettle-cli fettle-worker fettle-runner)
    if(TARGET ${program})
        install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    endif()
endforeach()
install(FILES packaging/org.fettle.Fettle.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES packaging/org.fettle.Fettle.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
install(FILES packaging/org.fettle.Fettle.mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages
    RENAME org.fettle.Fettle.xml)
install(FILES resources/icons/fettle.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps
    RENAME org.fettle.Fettle.svg)
install(FILES packaging/man/fettle.1 packaging/man/fettle-cli.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(DIRECTORY resources/sample/digits_mobilenet DESTINATION ${CMAKE_INSTALL_DATADIR}/fettle/sample)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES core/runtime/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME LICENSE.runtime)
install(FILES resources/fonts/OFL.txt DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME LICENSE.fonts)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME fettle)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The Fettle authors <fettle@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "tunes neural networks for the machine they run on")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "Fettle opens an ONNX model, shows where its time goes, tunes every operator
for the machine it will run on, and exports the compiled library.")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
include(CPack)
